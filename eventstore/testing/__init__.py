"""The contract of a log and the laws of the store, for tests of other logs and rulesets."""
