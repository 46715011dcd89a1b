"""What every page shares: guards, forms, parameters, refusals and security headers."""
