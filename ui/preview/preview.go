package preview

import (
	"context"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/rewrite"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// changePhase is how far the change is.
type changePhase int

const (
	working changePhase = iota // the consequences are being worked out
	failed                     // they could not be
	ready                      // to be read and answered
	writing                    // yes was said
	waiting                    // written; the rows are to follow
	late                       // written; not every zone shows it yet
)

// followTime is how long the page waits for the rows before it says that a
// zone is late; variable for tests.
var followTime = 3 * time.Second

// View is the view.
type View struct {
	src ChangeSource
	opt PreviewOptions

	phase        changePhase
	p            *gate.Preview
	err          error                       // why it could not be worked out
	writeProblem string                      // why the last attempt to write failed
	notice       string                      // something else to know, once
	trial        *revision.UnconfirmedChange // it was made on trial
	beganAt      time.Time                   // when what is under way began
	pending      *pendingChange
	previewWork  view.LatestWork    // the consequences are being worked out
	workedFrom   *revision.Revision // the newest when the work began
	ended        time.Time          // when the last work ended
	cost         time.Duration      // and how long that took

	change, rows *widget.DocView
	side         bool // rows stand beside the change
	onRows       bool // the cursor is there
	diff         bool
	whole        bool // lines are broken instead of cut, and sets have all members
	built        builtKey
	zonesShown   []revision.ZoneShown
}

// builtKey holds the inputs that the documents were built from.
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

// previewWorked is the message with the preview that was worked out, or why it could not be.
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

// PreviewOf makes a preview of any change.
func PreviewOf(src ChangeSource, opt PreviewOptions) *View {
	return &View{src: src, opt: opt, change: widget.NewDoc(), rows: widget.NewDoc()}
}

// CurrentMutation is the change as it is now: after a merge it is another text.
func (v *View) CurrentMutation() change.Mutation {
	if v.p == nil {
		return change.Mutation{}
	}
	return v.p.Mutation
}

// NewPriority is the place of the one policy that the change makes, for people; ok is false where it
// makes none that has a priority, or several.
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

// MergeConflict returns the conflict that keeps the change from being made, nil for none.
func (v *View) MergeConflict() *rewrite.Conflict {
	if v.p == nil {
		return nil
	}
	return v.p.Conflict
}

// Scopes are the keys of the preview, and those of lists.
func (v *View) Scopes() []action.Scope {
	return []action.Scope{action.ScopeOf(nav.Preview), action.List, action.Global}
}

// Crumb names the page.
func (v *View) Crumb() string {
	if v.opt.Crumb != "" {
		return v.opt.Crumb
	}
	if m, ok := v.src.(*mutationSource); ok {
		if k := m.m.Policy; k.Name != "" {
			return "preview: " + string(m.m.Op) + " " + k.ShortLabel()
		}
		return "preview: " + string(m.m.Op)
	}
	return "preview"
}

// SelectedPage is nothing: the lines lead nowhere, the page is to be answered.
func (v *View) SelectedPage() nav.Page { return nav.Page{} }

// Sync starts the work and keeps what is shown true.
func (v *View) Sync(env *view.Env) {
	switch {
	case !v.previewWork.WasBegun():
		v.workOut(env)
	case v.phase == ready && !v.previewWork.IsUnderWay() && v.p.IsOutdated(v.workedFrom, env.Rev):
		v.workOut(env)
	case v.phase == waiting || v.phase == late:
		keys, gone := v.followedTargets()
		v.zonesShown = revision.ZonesShowing(env.Rev, keys, gone)
	}
	v.buildDocs(env)
}

// workOut has the consequences worked out.
func (v *View) workOut(env *view.Env) {
	v.workedFrom, v.beganAt = env.Rev, env.Now
	src, console := v.src, env.Console
	wait := time.Duration(0)
	if v.phase == ready {
		wait = max(restTime, 4*v.cost) - time.Since(v.ended)
	} else {
		v.phase = working
	}
	view.BeginWork(&v.previewWork, env, "working out what the change does", func(ctx context.Context) (previewWorked, error) {
		if err := waitFor(ctx, wait); err != nil {
			return previewWorked{err: err}, nil
		}
		start := time.Now()
		p, err := src.WorkOut(ctx, console)
		end := time.Now()
		return previewWorked{p, err, end, end.Sub(start)}, nil
	})
}

// restTime is left at least between two workings of a preview that is on the screen,
// and four times what the last one took; variable for tests.
var restTime = 250 * time.Millisecond

// waitFor waits, as long as the context lasts.
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

// ReceiveResult takes what was worked out, written and followed.
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
		case what != "": // it wants another yes
			v.showChanged(env, m.p, what)
		default:
			if _, ok := v.src.(*mutationSource); ok && m.p.Mutation.Op != "" {
				// An undo stays the undo of that change. Work that comes too late may still be
				// reading the source there was: it stays as it is.
				v.src = &mutationSource{m: m.p.Mutation}
			}
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

// showChanged shows the change as it is now, and what is different: it wants another yes.
func (v *View) showChanged(env *view.Env, p *gate.Preview, what string) {
	v.p, v.err, v.writeProblem = p, nil, ""
	v.notice = "changed since you opened it: shown again at " + env.Now.Format("15:04:05") + ": " + what
	env.SayFailure("changed since you opened it: %s", what)
}

// CanLeave keeps the page while something is being written.
func (v *View) CanLeave(env *view.Env) bool {
	switch {
	case v.phase != writing:
		return true
	case v.pending.waitsFor() != "":
		v.pending.giveUp() // the answer says so, or that the change was made after all
	default:
		env.SayText("the change is being written; a moment")
	}
	return false
}

// TellState says how the preview is.
func (v *View) TellState(env *view.Env) widget.Line {
	st := env.Styles
	switch v.phase {
	case working:
		return env.BusyLine(v.beganAt, "working it out")
	case writing:
		return env.BusyLine(v.beganAt, "writing")
	case waiting:
		return widget.StyledLine("written, rows follow", st.Info)
	case late:
		return widget.StyledLine("written", st.Warn)
	case ready:
		return widget.StyledLine("nothing is written yet", st.Dim)
	}
	return nil
}

// Copies are the commands, the texts after the change and the difference.
func (v *View) Copies(*view.Env) []view.CopyItem {
	out := slices.Clone(v.opt.Copies)
	if v.p == nil {
		return out
	}
	var texts, diffs []string
	for _, o := range v.p.Objects {
		if o.New != nil {
			texts = append(texts, withoutNewline(o.New.YAML))
		}
		diffs = append(diffs, o.Diff)
	}
	if len(v.p.Commands) > 0 {
		out = append(out, view.CopyItem{What: "kubectl command", Text: strings.Join(v.p.Commands, "\n")})
	}
	if len(texts) > 0 {
		out = append(out, view.CopyItem{What: "YAML after the change", Text: strings.Join(texts, "---\n")})
	}
	if len(diffs) > 0 {
		out = append(out, view.CopyItem{What: "difference", Text: strings.Join(diffs, "\n")})
	}
	return out
}
