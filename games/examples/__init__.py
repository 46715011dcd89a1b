"""Two rulesets to copy from: Nim, the smallest complete one, and High Card, which hides cards."""
