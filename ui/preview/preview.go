package preview

import (
	"context"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/rewrite"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// PreviewOptions are settings of a preview by the page that opens it.
type PreviewOptions struct {
	// Crumb names the page, "preview" if empty.
	Crumb string
	// Question is the question to answer, "Apply?" if empty.
	Question string
	// Edit continues editing; nil if nothing is edited.
	Edit func(*view.Env)
	// Cancel leaves the preview; nil goes back one page.
	Cancel func(*view.Env)
	// Written is called once the change was made. Done is called next; it replaces waiting for the rows and
	// the plan's page.
	Written, Done func(*view.Env)
	// Copies are further texts to copy.
	Copies []view.CopyItem
	// Kept is the file of the text behind the change, empty if none.
	Kept string
	// Known is the preview of the mutation, if already computed.
	Known *gate.Preview
	// Explain replaces an error of the work or the write by one that says more; nil keeps it.
	Explain func(view.Console, error) error
}

// changePhase is the progress of the change.
type changePhase int

const (
	working   changePhase = iota // computing the consequences
	failed                       // they could not be computed
	ready                        // ready to be read and answered
	writing                      // confirmed
	waiting                      // written; waiting for the rows
	zonesLate                    // written; not every zone shows it yet
)

// followTime is how long the page waits for the rows before it calls a zone late; variable for tests.
var followTime = 3 * time.Second

// View is the preview of a change.
type View struct {
	m   change.Mutation // merged, or of one change of the history, once that is known
	opt PreviewOptions

	phase        changePhase
	p            *gate.Preview
	err          error                       // why the consequences could not be computed
	writeProblem string                      // why the last attempt to write failed
	notice       string                      // another message, shown once
	trial        *revision.UnconfirmedChange // the change on trial, nil if none
	beganAt      time.Time                   // when the current phase's work began
	pending      *pendingChange
	previewWork  view.LatestWork    // computes the consequences
	workedFrom   *revision.Revision // newest revision when the work began
	ended        time.Time          // end of the last work
	cost         time.Duration      // duration of the last work

	change, rows *widget.DocView
	side         bool // rows are beside the change
	filtered     bool
	onRows       bool // the cursor is in the rows
	diff         bool
	whole        bool // lines wrap, and sets show all members
	built        builtKey
	zonesShown   []revision.ZoneShown
}

// builtKey holds the inputs of the documents.
type builtKey struct {
	p                 *gate.Preview
	w                 int
	side, diff, whole bool
	phase             changePhase
	st                *themes.StyleSet
	wrong             string
	notice            string
	shown             string
}

// previewWorked is the message with the preview or its error.
type previewWorked struct {
	p        *gate.Preview
	err      error
	workedAt time.Time
	cost     time.Duration
}

type changeWritten struct {
	view *View
	res  *gate.Result
	err  error
}

type zonesFollowed struct {
	view       *View
	zonesShown []revision.ZoneShown
}

// New makes the page of one mutation.
func New(m change.Mutation) view.View { return PreviewMutation(m, PreviewOptions{}) }

// PreviewMutation makes a preview of one mutation with options.
func PreviewMutation(m change.Mutation, opt PreviewOptions) *View {
	if opt.Explain == nil {
		opt.Explain = func(_ view.Console, err error) error { return err }
	}
	return &View{m: m, opt: opt, change: widget.NewDoc(), rows: widget.NewDoc()}
}

// CurrentMutation returns the change with its current text, which a merge may have replaced.
func (v *View) CurrentMutation() change.Mutation {
	if v.p == nil {
		return change.Mutation{}
	}
	return v.p.Mutation
}

// NewPriority returns the place of the one new policy; ok is false if the change makes none with a priority,
// or several.
func (v *View) NewPriority() (place string, ok bool) {
	if v.p == nil {
		return "", false
	}
	made := 0
	for _, o := range v.p.Objects {
		if o.Old == nil && o.New != nil && o.New.Kind.CanMove() {
			place, made = o.New.PlaceText(), made+1
		}
	}
	return place, made == 1
}

// MergeConflict returns the conflict that blocks the change, nil if none.
func (v *View) MergeConflict() *rewrite.Conflict {
	if v.p == nil {
		return nil
	}
	return v.p.Conflict
}

// Scopes returns the keys of the preview and of lists.
func (v *View) Scopes() []action.Scope {
	return []action.Scope{action.PageScope(nav.Preview), action.List, action.Global}
}

// Crumb names the page.
func (v *View) Crumb() string {
	if v.opt.Crumb != "" {
		return v.opt.Crumb
	}
	return "preview: " + string(v.m.Op) + words.Choose(v.m.Policy.Name != "", " "+v.m.Policy.ShortLabel(), "")
}

// SelectedPage returns none: lines have no links, the page asks for an answer.
func (v *View) SelectedPage() nav.Page { return nav.Page{} }

// Sync starts the work and keeps the preview up to date.
func (v *View) Sync(env *view.Env) {
	switch {
	case !v.previewWork.WasBegun():
		v.workOut(env)
	case v.phase == ready && !v.previewWork.IsUnderWay() && v.p.IsOutdated(v.workedFrom, env.Rev):
		v.workOut(env)
	case v.phase == waiting || v.phase == zonesLate:
		keys, gone := v.followedTargets()
		v.zonesShown = revision.ZonesShowing(env.Rev, keys, gone)
	}
	v.buildDocs(env)
}

// workOut computes the consequences in a goroutine.
func (v *View) workOut(env *view.Env) {
	v.workedFrom, v.beganAt = env.Rev, env.Now
	m, known, explain, console := v.m, v.opt.Known, v.opt.Explain, env.Console
	v.opt.Known = nil
	wait := time.Duration(0)
	if v.phase == ready {
		wait = max(restTime, 4*v.cost) - time.Since(v.ended)
	} else {
		v.phase = working
	}
	view.BeginWork(&v.previewWork, env, "computing the change", func(ctx context.Context) (previewWorked, error) {
		if err := waitFor(ctx, wait); err != nil {
			return previewWorked{err: err}, nil
		}
		start := time.Now()
		p, err := known, error(nil)
		if p == nil {
			p, err = console.Preview(ctx, m)
		}
		end := time.Now()
		return previewWorked{p, explain(console, err), end, end.Sub(start)}, nil
	})
}

// restTime is the least pause between two computations of a visible preview. The pause is also at least four
// times as long as the last computation. Variable for tests.
var restTime = 250 * time.Millisecond

// waitFor waits, unless the context ends first.
func waitFor(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReceiveResult takes computed, written and followed changes.
func (v *View) ReceiveResult(env *view.Env, msg any) {
	if m, _, ok := view.TakeResult[previewWorked](&v.previewWork, msg); ok {
		v.ended, v.cost = m.workedAt, m.cost
		what := ""
		if v.phase == ready && m.err == nil {
			what = v.p.ChangesSince(m.p)
		}
		v.p, v.err = m.p, m.err
		v.phase = ready
		switch {
		case m.err != nil:
			v.phase = failed
		case what != "": // it needs another yes
			v.showChanged(env, m.p, what)
		case m.p.Mutation.Op != "":
			v.m = m.p.Mutation // an undo stays the undo of that change
		}
	}
	switch m := msg.(type) {
	case changeWritten:
		if m.view == v {
			v.afterWrite(env, m)
		}
	case zonesFollowed:
		if m.view == v {
			v.afterFollow(env, m)
		}
	}
	v.buildDocs(env)
}

// showChanged shows the changed preview and what differs; it needs another yes.
func (v *View) showChanged(env *view.Env, p *gate.Preview, what string) {
	v.p, v.err, v.writeProblem = p, nil, ""
	v.notice = "the preview has changed (reloaded " + env.Now.Format("15:04:05") + "): " + what
	env.ShowFailure("the preview has changed: %s", what)
}

// CanLeave keeps the page open during a write.
func (v *View) CanLeave(env *view.Env) bool {
	switch {
	case v.phase != writing:
		return true
	case v.pending.waitsFor() != "":
		v.pending.cancel() // the result says so, or that the change was made after all
	default:
		env.ShowText("the change is being written; a moment")
	}
	return false
}

// StateLine shows the phase.
func (v *View) StateLine(env *view.Env) widget.Line {
	st := env.Styles
	switch v.phase {
	case working:
		return env.BusyLine(v.beganAt, "computing")
	case writing:
		return env.BusyLine(v.beganAt, "writing")
	case waiting:
		return widget.StyledLine("written, waiting for rows", st.Info)
	case zonesLate:
		return widget.StyledLine("written", st.Warn)
	case ready:
		return widget.StyledLine("nothing is written yet", st.Dim)
	}
	return nil
}

// Copies offers the commands, the texts after the change, and the diff.
func (v *View) Copies(*view.Env) []view.CopyItem {
	out := slices.Clone(v.opt.Copies)
	if v.p == nil {
		return out
	}
	var scripts, texts, diffs []string
	if v.p.Script != "" {
		scripts = []string{v.p.Script}
	}
	for _, o := range v.p.Objects {
		if o.New != nil {
			texts = append(texts, withFinalNewline(o.New.YAML))
		}
		diffs = append(diffs, o.Diff)
	}
	for _, of := range []struct {
		what, sep string
		texts     []string
	}{{"kubectl command", "", scripts}, {"YAML after the change", "---\n", texts}, {"difference", "\n", diffs}} {
		if len(of.texts) > 0 {
			out = append(out, view.CopyItem{What: of.what, Text: strings.Join(of.texts, of.sep)})
		}
	}
	return out
}
