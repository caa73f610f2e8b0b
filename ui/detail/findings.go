package detail

import (
	"strconv"

	"rung/model"
	"rung/themes"
	"rung/ui/widget"
)

// FindingCount is how many findings there are of each severity, worst first:
// "●4 ▲11 ·15"; "none" where there is none.
func FindingCount(n model.FindingCount, st *themes.Styles) widget.Line {
	var l widget.Line
	for _, s := range []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo} {
		if n.Of(s) == 0 {
			continue
		}
		if len(l) > 0 {
			l = l.Add(" ", st.Text)
		}
		sign, look := Sign(s, st)
		l = l.Add(sign+strconv.Itoa(n.Of(s)), look)
	}
	if len(l) == 0 {
		return widget.Styled("none", st.OK)
	}
	return l
}
