package lint

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/convert"
	"rung/model/lint/codes"
	"rung/model/words"
)

// conversions reports values of namespaces that are newer than the policies that one was
// converted to, one for each value there was.
func (l *linter) conversions() {
	for _, u := range convert.AllUnfolded(l.c) {
		missing := u.Missing(l.c)
		if len(missing) == 0 {
			continue
		}
		var names []string
		for _, m := range missing {
			name := m.Value
			if len(u.Labels) > 0 {
				name += " (" + words.Form(len(m.Namespaces), "namespace ", "namespaces ") + words.Few(m.Namespaces, shown) + ")"
			}
			names = append(names, name)
		}
		each, what := "namespace", words.Form(len(names), "namespace ", "namespaces ")
		if len(u.Labels) > 0 {
			each, what = "value of label "+strings.Join(u.Labels, " with "), words.Form(len(names), "value ", "values ")
		}
		p, to := u.Policies[0], "anp"
		if p.Kind == model.KindCNP {
			to = "cnp"
		}
		l.about(p, codes.ConversionNewValue, model.SeverityWarning,
			fmt.Sprintf("converted from %s, one policy for each %s: %s%s %s none, so that nothing of %s decides for those pods",
				u.From, each, what, words.Few(names, shown), words.Form(len(names), "has", "have"), u.From),
			fmt.Sprintf("convert %s again with the namespaces there are now, and apply what is new: rung convert --to %s FILE…", u.From, to))
	}
}
