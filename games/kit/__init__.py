"""Parts that at least two rulesets need: pure values and small functions."""
