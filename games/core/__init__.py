"""What every ruleset shares: the contract, record events, folding, checks, options and the registry."""
