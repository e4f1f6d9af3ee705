"""The articles' sixteen claims, put to the test with replays made when the report is drawn."""

from reports.claims.claim import Answer, Verdict
from reports.claims.evidence import Evidence
from reports.claims.questions import ask, ask_all

__all__ = ["Answer", "Evidence", "Verdict", "ask", "ask_all"]
