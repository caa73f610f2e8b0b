package logs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// ControllerLogView shows the lines of one controller about one policy.
type ControllerLogView struct {
	view.List
	page nav.Page
	pane *detail.Pane

	reads view.LatestWork
	log   *logs.Log
	err   error
}

// NewControllerLog makes the view; the page names the policy and the zone.
func NewControllerLog(page nav.Page) view.View {
	p := detail.NewPane()
	return &ControllerLogView{List: view.List{Widget: p}, page: page, pane: p}
}

// Sync reads the log when the page is first seen, and makes the lines.
func (v *ControllerLogView) Sync(env *view.Env) {
	if !v.reads.WasBegun() {
		v.readLog(env)
	}
	v.pane.SetItems(v.pageLines(env))
}

// readLog reads the log in a goroutine.
func (v *ControllerLogView) readLog(env *view.Env) {
	c, zone, key := env.Console, v.page.Zone, v.page.Key
	view.BeginWork(&v.reads, env, "reading the controller's log", func(ctx context.Context) (*logs.Log, error) {
		return c.ControllerLog(ctx, zone, key)
	})
}

// WorkingSince returns when reading the log began.
func (v *ControllerLogView) WorkingSince() time.Time { return v.reads.BeganAt() }

// ReceiveResult takes the log; after an error the earlier log stays.
func (v *ControllerLogView) ReceiveResult(env *view.Env, msg any) {
	log, err, ok := view.TakeResult[*logs.Log](&v.reads, msg)
	if !ok {
		return
	}
	v.err = err
	if err == nil {
		v.log = log
	}
	v.Sync(env)
	if err == nil {
		v.pane.Do(action.Bottom)
	}
}

// pageLines returns the condition of the zone, then the controller's lines.
func (v *ControllerLogView) pageLines(env *view.Env) []detail.Line {
	st := env.Styles
	s := &detail.Sheet{St: st, W: env.W}
	s.AddHead(v.page.Key.Label() + " · what zone " + v.page.Zone + " reported")
	v.addCondition(env, s)
	switch {
	case v.reads.IsUnderWay() && v.log == nil:
		s.AddHead("ovnkube-controller")
		s.Add("reading", env.BusyLine(v.reads.BeganAt(), "reading the newest lines"), nav.Page{})
		return s.Lines
	case v.err != nil:
		s.AddHead("ovnkube-controller")
		s.AddNote("error", 0, words.Failed, st.Error, st.Text, v.err.Error())
		if v.log != nil {
			s.AddNote("old", 0, "", st.Dim, st.Dim, "The lines below are from the previous read.")
		}
	}
	if v.log != nil {
		v.logLines(env, s)
	}
	return s.Lines
}

// addCondition adds the last condition that the zone's controller reported.
func (v *ControllerLogView) addCondition(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	all := env.Rev.Conditions(v.page.Key)
	i := slices.IndexFunc(all, func(c model.Condition) bool { return c.Type == revision.ReadyPrefix+v.page.Zone })
	if i < 0 {
		s.AddNote("condition", 0, words.Noted, st.Dim, st.Dim, "no condition of this zone")
		return
	}
	s.AddCondition("condition", &all[i], env.Now, st, nav.Page{})
}

func (v *ControllerLogView) logLines(env *view.Env, s *detail.Sheet) {
	st, l := env.Styles, v.log
	s.AddHead(l.Source)
	in := fmt.Sprintf("%s of the newest %s lines mention it", words.Thousands(len(l.Lines)), words.Thousands(l.Read))
	if len(l.Lines) == 0 {
		in = fmt.Sprintf("nothing in the last %s lines mentions it", words.Thousands(l.Read))
	}
	if !l.First.IsZero() {
		in += ", starting at " + words.Clock(l.First, env.Now)
	}
	s.AddNote("count", 0, words.Noted, st.Dim, st.Dim, in)
	s.AddNote("command", 0, "$", st.Dim, st.CodeText, l.Command)
	for i, x := range l.Lines {
		sign, look := severitySign(x.Severity, st)
		text := words.Clock(x.At, env.Now) + "  "
		text += words.Between("", x.Place, "  ")
		s.AddNote("line."+x.At.Format(time.RFC3339Nano)+"."+strconv.Itoa(i), 0, sign, look, st.Text, text+x.Text)
	}
}

// severitySign returns klog's letter for a severity.
func severitySign(s string, st *themes.StyleSet) (string, themes.Style) {
	switch s {
	case "error", "fatal":
		return strings.ToUpper(s[:1]), st.Error
	case "warning":
		return "W", st.Warn
	case "info":
		return "I", st.Dim
	}
	return words.Noted, st.Dim
}

// Do reads the log again, and switches zones.
func (v *ControllerLogView) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.ControllerAgain:
		v.readLog(env)
		v.Sync(env)
	case action.ControllerZone:
		v.turnZone(env, 1)
	case action.ControllerPrev:
		v.turnZone(env, -1)
	default:
		return v.List.Do(env, id)
	}
	return true
}

// turnZone shows the controller d zones further, cyclically.
func (v *ControllerLogView) turnZone(env *view.Env, d int) {
	zones := env.Rev.Zones
	if len(zones) == 0 {
		env.ShowFailure("no zones")
		return
	}
	i := slices.IndexFunc(zones, func(z *model.ZoneState) bool { return z.Name == v.page.Zone })
	p := v.page
	if i < 0 && d < 0 {
		i = 0 // unknown zone: going back starts before the first
	}
	p.Zone = zones[(i+d+len(zones))%len(zones)].Name
	env.ReplacePage(p)
}

// SelectedPage returns the policy.
func (v *ControllerLogView) SelectedPage() nav.Page { return nav.ToPolicy(v.page.Key) }

// Copies offers the lines, and the kubectl command that reads the log.
func (v *ControllerLogView) Copies(*view.Env) []view.CopyItem {
	if v.log == nil {
		return nil
	}
	var b strings.Builder
	for _, x := range v.log.Lines {
		fmt.Fprintf(&b, "%s %s %s %s\n", x.At.UTC().Format(time.RFC3339Nano), x.Severity, x.Place, x.Text)
	}
	return []view.CopyItem{{What: "kubectl command", Text: v.log.Command}, {What: "lines", Text: b.String()}}
}
