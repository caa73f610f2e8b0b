package rows

import (
	"rung/revision"
)

// markText are the marks for people.
var markText = map[revision.RowMark]string{
	revision.RowSettling:       "… settling",
	revision.RowDifferent:      "≠ differs",
	revision.RowExtra:          "≠ extra",
	revision.RowMissing:        "≠ missing",
	revision.RowKnownDifferent: "≠ differs: known",
	revision.RowKnownExtra:     "≠ extra: known",
	revision.RowKnownMissing:   "≠ missing: known",
	revision.RowFrozen:         "● frozen",
	revision.RowStrange:        "? other form",
	revision.RowForeign:        "· other",
	revision.RowLegacy:         "~ legacy",
}

// missingShown bounds the policies whose missing rows are listed: a zone that
// has just been emptied lacks them all, and the number says enough.
const missingShown = 50
