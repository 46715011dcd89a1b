"""Page models that several rooms show: what is built from a game before any page of it is written."""
