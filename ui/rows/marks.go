package rows

import (
	"rung/revision/liverows"
)

// markText are the marks for people.
var markText = map[liverows.RowMark]string{
	liverows.RowSettling:       "… settling",
	liverows.RowDifferent:      "≠ differs",
	liverows.RowExtra:          "≠ extra",
	liverows.RowMissing:        "≠ missing",
	liverows.RowKnownDifferent: "≠ differs: known",
	liverows.RowKnownExtra:     "≠ extra: known",
	liverows.RowKnownMissing:   "≠ missing: known",
	liverows.RowFrozen:         "● frozen",
	liverows.RowStrange:        "? other form",
	liverows.RowForeign:        "· other",
	liverows.RowLegacy:         "~ legacy",
}

// missingShown bounds the policies whose missing rows are listed: a zone that
// has just been emptied lacks them all, and the number says enough.
const missingShown = 50
