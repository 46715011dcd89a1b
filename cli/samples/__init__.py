"""The games of `tabletape demo`, and the program that makes them."""
