"""The laws of every ruleset and the simulated games that they are tried on."""
