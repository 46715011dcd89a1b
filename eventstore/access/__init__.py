"""Keys and sessions of people who record over a network."""
