"""No page mixes two states of a game.

`addresses` has an example of every address.  `test_twin` answers each of them while another writer comes
before the n-th read of the log, for every n, with caches empty and filled, in HTML and in JSON: the answer is
the one without the writer or the one behind its event, to the byte, and a form is accepted on no other board
than its own.  `test_stress` does the same by chance, with threads.  `python -m tests.replay_web.torn` prints
how often each page reads the log, and how often a POST of a move passes from one module to another.
"""
