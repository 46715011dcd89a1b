"""Commands, a file each: what it takes, how a repeat of it is known, and what it is decided to come to.

A decider is pure: it reads the game that it is given and nothing else.  Nothing in here opens a game or
commits anything; `Store.do` does.
"""

from eventstore.recording.commands.amend import Amend, AmendReport
from eventstore.recording.commands.branch import Branch
from eventstore.recording.commands.check import Check, CheckReport
from eventstore.recording.commands.command import Answer, Command, Decision
from eventstore.recording.commands.deal import Deal
from eventstore.recording.commands.new import New
from eventstore.recording.commands.note import RemoveNote, WriteNote
from eventstore.recording.commands.record import Record
from eventstore.recording.commands.returns import Redo, Restore, Undo
from eventstore.recording.commands.rule import Rule

__all__ = [
    "Amend",
    "AmendReport",
    "Answer",
    "Branch",
    "Check",
    "CheckReport",
    "Command",
    "Deal",
    "Decision",
    "New",
    "Record",
    "Redo",
    "RemoveNote",
    "Restore",
    "Rule",
    "Undo",
    "WriteNote",
]
