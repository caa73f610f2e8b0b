package zones

import (
	"cmp"

	"rung/model/words"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// lostTitle heads what became of a zone's lines of the ACL log.
const lostTitle = "LOG LINES"

// loss is what meters discard of a zone's log lines.
type loss struct {
	now     bool   // lines are being lost
	lines   uint64 // as far as they are counted
	counted bool   // all of them are
}

// lose adds the losses of ACLs up by zone, once a second.
func (v *zones) lose(env *view.Env) {
	l := env.Console.Logs()
	if now := env.Now.Unix(); l == nil || now == v.lossesAt {
		return
	}
	v.lossesAt, v.losses = env.Now.Unix(), map[string]*loss{}
	for _, x := range l.Losses() {
		if !x.Loses() && x.Lost == 0 {
			continue
		}
		z := v.losses[x.Zone]
		if z == nil {
			z = &loss{counted: true}
			v.losses[x.Zone] = z
		}
		z.now, z.lines, z.counted = z.now || x.Loses(), z.lines+x.Lost, z.counted && x.Counted
	}
}

// line is a word and a count: "losing 1,300", "lost 1,300", and "losing" where nothing
// counts them.
func (x *loss) line(st *themes.Styles) widget.Line {
	switch {
	case x == nil:
		return widget.Styled("–", st.Dim)
	case x.now && !x.counted && x.lines == 0:
		return widget.Styled("losing", st.Warn)
	}
	word, n := "lost ", words.Thousands(x.lines)
	if x.now {
		word = "losing "
	}
	if !x.counted {
		n = "≥" + n
	}
	return widget.Styled(word+n, st.Warn)
}

// compare orders zones by their losses, those that lose lines now behind the others.
func (x *loss) compare(with *loss) int {
	rank := func(x *loss) (now int, lines uint64) {
		switch {
		case x == nil:
			return 0, 0
		case x.now:
			return 2, x.lines
		}
		return 1, x.lines
	}
	a, n := rank(x)
	b, m := rank(with)
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(n, m))
}
