package edit

import (
	"strings"

	"rung/model"
)

// upgraded is the text of today of a policy that is written in an older form, empty where
// it is not, or where no object of today says the same.
func upgraded(p *model.Policy) string {
	if p.Older == nil {
		return ""
	}
	// Its first lines may be notes of an edit before, which end where the text begins.
	return body(p.Older.Upgrade)
}

// olderNotes say what today's form writes otherwise, or why there is none.
func olderNotes(p *model.Policy) []string {
	switch {
	case p.Older == nil:
		return nil
	case p.Older.Upgrade != "":
		return append([]string{"It is written in an older form, which the server of today does not take.",
			"This is the same in today's form. Save it as it is to write it so:"}, bullets(p.Older.Changes)...)
	}
	return append([]string{"It is written in an older form, which the server of today does not take,",
		"and no object of today says the same:"}, bullets(p.Older.Reasons)...)
}

func bullets(of []string) (out []string) {
	for _, s := range of {
		out = append(out, "- "+strings.TrimSpace(s))
	}
	return out
}
