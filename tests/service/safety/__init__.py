import pytest

pytestmark = [pytest.mark.processes, pytest.mark.no_documents]
