"""The smallest complete ruleset, as a model for yours."""
