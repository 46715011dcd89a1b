"""Who asks (`Actor`), and the keys and sessions of people who record over a network."""
