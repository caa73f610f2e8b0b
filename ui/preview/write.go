package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// commitChange commits a confirmed preview, and waits for the rows.
func (v *View) commitChange(env *view.Env, p *gate.Preview, answer gate.Confirm) {
	v.phase, v.writeProblem, v.notice, v.p, v.beganAt = writing, "", "", p, env.Now
	v.previewWork.StopWork() // its result would be too late
	explain, console, change := v.opt.Explain, env.Console, &pendingChange{}
	change.ctx, change.cancel = context.WithCancel(context.Background())
	v.pending = change
	answer.OnWait = func(title string) { change.otherChange.Store(&title) }
	answer.Finish = true // closing the page must not leave a half-made change
	env.Run("writing", func(ctx context.Context) any {
		defer change.cancel()
		defer context.AfterFunc(ctx, change.cancel)()
		res, err := console.Commit(change.ctx, p, answer)
		return changeWritten{v, res, explain(console, err)}
	})
	v.buildDocs(env)
}

// pendingChange is a confirmed change, which may have to wait for another.
type pendingChange struct {
	ctx         context.Context
	cancel      context.CancelFunc // works while it waits
	otherChange atomic.Pointer[string]
}

// waitsFor returns the title of the change it waits for, empty if none.
func (t *pendingChange) waitsFor() string {
	if t == nil || t.otherChange.Load() == nil {
		return ""
	}
	return *t.otherChange.Load()
}

func (v *View) afterWrite(env *view.Env, m changeWritten) {
	if stale := (*gate.StaleError)(nil); m.res == nil && errors.As(m.err, &stale) && stale.Preview != nil {
		v.phase = ready
		v.showChanged(env, stale.Preview, stale.Difference)
		return
	}
	if m.res == nil && m.err != nil {
		v.phase = ready
		v.writeProblem = m.err.Error()
		if errors.Is(m.err, change.ErrStale) || errors.Is(m.err, change.ErrBlocked) {
			v.workOut(env)
		}
		return
	}
	if m.err != nil {
		v.notice = m.err.Error() // done, but not recorded
	}
	if m.res != nil {
		v.trial, v.notice = m.res.Trial, cmp.Or(v.notice, m.res.ServerChanged)
	}
	if v.opt.Written != nil {
		v.opt.Written(env)
	}
	if v.opt.Done != nil {
		v.opt.Done(env)
		return
	}
	if m.res != nil && m.res.Plan {
		// The plan's page shows the progress.
		env.ReplacePage(nav.NewPage(nav.Plan))
		return
	}
	v.phase = waiting
	console := env.Console
	keys, gone := v.followedTargets()
	env.Run("waiting for the rows", func(ctx context.Context) any {
		return zonesFollowed{v, followZones(ctx, console, keys, gone)}
	})
}

// followedTargets returns the policies whose rows must follow, and the ids of ACLs that must disappear.
func (v *View) followedTargets() (keys []model.PolicyKey, gone []string) {
	for _, o := range v.p.Objects {
		if o.New != nil {
			keys = append(keys, o.Key)
		}
	}
	for _, r := range v.p.Rows {
		if r.Kind == model.DiffExtra && r.Table == nb.TableACL {
			gone = append(gone, r.ID)
		}
	}
	return keys, gone
}

// followZones waits until every zone shows the change, at most followTime.
func followZones(ctx context.Context, c view.Console, keys []model.PolicyKey, gone []string) []revision.ZoneShown {
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	ticks, stop := c.Subscribe()
	defer stop()
	for {
		shown := revision.ZonesShowing(c.Revision(), keys, gone)
		if all, _ := countShown(shown); all {
			return shown
		}
		select {
		case <-ctx.Done():
			return shown
		case <-ticks:
		}
	}
}

func countShown(shown []revision.ZoneShown) (all bool, ok int) {
	for _, s := range shown {
		if s.OK {
			ok++
		}
	}
	return ok == len(shown), ok
}

func (v *View) afterFollow(env *view.Env, m zonesFollowed) {
	v.zonesShown = m.zonesShown
	if all, _ := countShown(m.zonesShown); !all {
		v.phase = zonesLate
		return
	}
	v.leavePage(env)
}

// leavePage reports the outcome and how to undo it, and goes back.
func (v *View) leavePage(env *view.Env) {
	text := v.p.Title + ": " + v.outcomeText()
	if key := env.KeyHint(action.Confirm); v.trial != nil && env.Rev.Unconfirmed.IsOpen() && key != "" {
		text = v.p.Title + ": done · " + key + " keeps it" // the header shows the time left
	} else if key := env.KeyHint(action.Undo); key != "" && v.isUndoable(env) {
		text += " · " + key + " undoes it"
	}
	if v.notice != "" {
		env.ShowFailure("%s; %s", text, v.notice)
	} else {
		env.ShowText("%s", text)
	}
	to := nav.Page{}
	for _, o := range v.p.Objects {
		if o.New == nil {
			env.BackPast(o.Key)
			return
		}
		to = nav.ToPolicy(o.Key)
	}
	env.BackTo(to)
}

// isUndoable reports whether undo reverts this very change: a newer one may come first, and a redone change
// keeps its place in the history.
func (v *View) isUndoable(env *view.Env) bool {
	title := v.p.Title
	if v.p.Mutation.Op == change.OpRedo {
		title = strings.TrimPrefix(title, "Redo: ")
	}
	return v.p.Mutation.Op != change.OpUndo && env.Rev.Undo == title
}

// outcomeText summarizes what the zones show.
func (v *View) outcomeText() string {
	_, ok := countShown(v.zonesShown)
	switch {
	case len(v.zonesShown) == 0:
		return "done"
	case v.p.Mutation.Op == change.OpLogLevel:
		return fmt.Sprintf("logging confirmed in %s/%s zones", words.Thousands(ok), words.Thousands(len(v.zonesShown)))
	}
	return fmt.Sprintf("done, live in %s/%s zones", words.Thousands(ok), words.Thousands(len(v.zonesShown)))
}
