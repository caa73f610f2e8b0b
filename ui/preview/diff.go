package preview

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"rung/engine"
	"rung/pages/difference"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// diffPage is the view.
type diffPage struct {
	before, after string // the inputs; an empty after means the console's cluster
	part          pagePart
	st            *themes.StyleSet
	rev           *revision.Revision // of the console

	filtered    bool
	connections *widget.Table[*difference.Connection]
	policies    *widget.Table[*difference.PolicyLine]
	findings    *widget.Table[*difference.FindingLine]
	guards      *widget.Table[*difference.Guard]
	omissions   *detail.Pane

	work       view.LatestWork
	doing      atomic.Pointer[string] // current step of the work
	sides      [2]*revision.Revision  // inputs already read, else nil
	comparedAt time.Time
	next       time.Time // earliest time of the next comparison
	res        *comparison
	problem    string // why there is no answer, or no newer one
	stopped    bool   // the user left the page meanwhile

	drawnOmissions omissionInputs
}

// comparison is the answer: the two sides and their difference.
type comparison struct {
	sides [2]*revision.Revision
	facts *difference.Facts
	took  time.Duration
}

// pagePart is a tab of the page.
type pagePart int

const (
	connectionsPart pagePart = iota
	policiesPart
	findingsPart
	guardsPart
	omissionsPart
	parts
)

// minAnswerTime and answerTimeFactor bound how often a changing cluster is compared. An answer stands for at
// least minAnswerTime, and for answerTimeFactor times the time it took.
const (
	minAnswerTime    = 10 * time.Second
	answerTimeFactor = 4
)

// NewDiff makes the view.
func NewDiff(p nav.Page) view.View {
	v := &diffPage{before: p.ID, after: p.Base, omissions: detail.NewPane()}
	v.connections = widget.PageTable(difference.Connections, &v.st)
	v.policies = widget.PageTable(difference.Policies, &v.st)
	v.findings = widget.PageTable(difference.Findings, &v.st)
	v.guards = widget.PageTable(difference.Guards, &v.st)
	v.connections.NoBelow, v.policies.NoBelow, v.findings.NoBelow, v.guards.NoBelow = true, true, true, true
	fitWords(v.policies, func(l *difference.PolicyLine) string { return l.Detail })
	fitWords(v.findings, func(l *difference.FindingLine) string { return l.Message })
	fitWords(v.guards, func(g *difference.Guard) string { return g.Message })
	v.omissions.Empty = "nothing was left out"
	return v
}

// fitWords cuts the last column of a table after a word; its text is shown in full below the table.
func fitWords[T any](t *widget.Table[T], text func(T) string) {
	t.Columns[len(t.Columns)-1].Fit = func(row T, w int) widget.Line {
		return widget.PlainLine(widget.FlowText(text(row), max(1, w-2))[0] + " " + widget.Ellipsis)
	}
}

// Sync starts a comparison if one is due.
func (v *diffPage) Sync(env *view.Env) {
	v.st, v.rev = env.Styles, env.Rev
	if v.before == "" || v.work.IsUnderWay() {
		return
	}
	waits := v.res == nil && v.problem == "" && !v.stopped
	if waits || v.isCompleted(env) || v.isOutdated(env) && !env.Now.Before(v.next) {
		v.beginComparison(env)
	}
	v.listOmissions(env)
}

// isOutdated reports whether the answer is of an older state of the console.
func (v *diffPage) isOutdated(env *view.Env) bool {
	return v.res != nil && v.after == "" && v.res.sides[1].Cluster != env.Rev.Cluster || v.isCompleted(env)
}

// isCompleted reports whether the console has now read everything, but had not at the time of the answer; the
// last reads may leave the cluster unchanged.
func (v *diffPage) isCompleted(env *view.Env) bool {
	return v.res != nil && v.after == "" && v.res.sides[1].NeverRead() != nil && env.Rev.NeverRead() == nil
}

// beginComparison reads the inputs not read yet, and compares.
func (v *diffPage) beginComparison(env *view.Env) {
	v.stopped, v.problem = false, ""
	names, sides := [2]string{v.before, v.after}, v.sides
	if v.after == "" {
		names[1], sides[1] = env.Rev.Mode.Title, env.Rev
	}
	read, protected, clock := env.ReadInput, protectedNamespaces(env.Console), env.Console.Now
	v.showText("reading " + names[0])
	view.BeginWork(&v.work, env, "comparing with "+names[0], func(ctx context.Context) (*comparison, error) {
		began := clock()
		for i, name := range names {
			if sides[i] != nil {
				continue
			}
			if read == nil {
				return nil, fmt.Errorf("%s: no other input can be read here", name)
			}
			v.showText("reading " + name)
			var err error
			if sides[i], err = read(ctx, name); err != nil {
				if strings.Contains(err.Error(), name) {
					return nil, err
				}
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		v.showText("comparing")
		facts, err := difference.Compare(ctx, sides[0], sides[1], names, protected)
		if err != nil {
			return nil, err
		}
		return &comparison{sides, facts, clock().Sub(began)}, nil
	})
}

// showText sets the current step of the work, from any goroutine.
func (v *diffPage) showText(doing string) { v.doing.Store(&doing) }

// protectedNamespaces returns the namespaces that a console's guard rails protect.
func protectedNamespaces(c view.Console) []string {
	if e, ok := c.(*engine.Engine); ok {
		return engine.ProtectedNamespaces(e)
	}
	return nil
}

// ReceiveResult takes the comparison.
func (v *diffPage) ReceiveResult(env *view.Env, msg any) {
	res, err, ok := view.TakeResult[*comparison](&v.work, msg)
	switch {
	case !ok:
		return
	case errors.Is(err, context.Canceled):
		v.stopped = true
		return
	case err != nil:
		v.problem = widget.CleanText(err.Error())
		return
	}
	v.sides[0] = res.sides[0]
	if v.after != "" {
		v.sides[1] = res.sides[1]
	}
	v.res, v.comparedAt, v.next = res, env.Now, env.Now.Add(max(minAnswerTime, answerTimeFactor*res.took))
	v.listConnections()
	v.policies.SetItems(res.facts.PolicyLines())
	v.findings.SetItems(res.facts.FindingLines())
	var guards []*difference.Guard
	for i := range res.facts.Guards {
		guards = append(guards, &res.facts.Guards[i])
	}
	v.guards.SetItems(guards)
	v.listOmissions(env)
}

// CanLeave stops reading and comparing.
func (v *diffPage) CanLeave(*view.Env) bool {
	if v.work.IsUnderWay() {
		v.work.StopWork()
		v.stopped = v.res == nil
	}
	return true
}

// Do carries out the page's actions.
func (v *diffPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.DiffNextTab:
		v.part = (v.part + 1) % parts
	case action.DiffPrevTab:
		v.part = (v.part + parts - 1) % parts
	case action.DiffAgain:
		v.sides, v.stopped = [2]*revision.Revision{}, false
		v.beginComparison(env)
	case action.DiffInput:
		v.askInputs(env)
	case action.Open:
		env.OpenPage(v.SelectedPage())
	default:
		done := v.lister().Do(id)
		if id == action.Wide {
			v.listConnections()
		}
		return done
	}
	v.listOmissions(env)
	return true
}

// listConnections lists groups of connections, or on a wide or filtered list each pair of workloads.
func (v *diffPage) listConnections() {
	if v.res == nil {
		return
	}
	if all := v.res.facts.Connections; v.connections.Wide || v.filtered {
		v.connections.SetItems(all)
	} else {
		v.connections.SetItems(difference.GroupConnections(all))
	}
}

// askInputs asks what to compare.
func (v *diffPage) askInputs(env *view.Env) {
	env.AskDialog(&view.PromptDialog{Title: "Compare", Label: "INPUT, or BEFORE AFTER: each a path, git:REV[:PATH], context:NAME",
		Value: nav.ToDiff(v.before, v.after).Inputs(),
		Check: func(text string) string {
			_, err := nav.ParseDiff(text)
			if err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			if p, err := nav.ParseDiff(text); err == nil { // checked above
				env.ReplacePage(p)
			}
		}})
}

// lister returns the list of the shown part.
func (v *diffPage) lister() view.Lister {
	return [parts]view.Lister{v.connections, v.policies, v.findings, v.guards, v.omissions}[v.part]
}

// isConsoleSide reports whether the second side is the console's cluster: only then pages can be opened.
func (v *diffPage) isConsoleSide(m revision.Mode) bool {
	switch m.Name {
	case revision.FilesMode:
		return v.after == "" || path.Clean(v.after) == path.Clean(m.Title)
	case revision.ClusterMode:
		return v.after == "" || v.after == "context:"+m.Title
	}
	return v.after == ""
}
