package policy

import (
	"context"
	"time"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/pod"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// namespacePage shows one namespace: its connections in both directions, its policies and their findings.
type namespacePage struct {
	detail.PanePage
	key model.Key

	// Inputs of the lines.
	rev        *revision.Revision
	shown      *revision.Matrix
	st         *themes.StyleSet
	w          int
	isComplete bool // findings include those of verdicts

	askedBasis revision.RevisionBasis // inputs of the present or running matrix
	matrixWork view.LatestWork
	m          *revision.Matrix // nil until the first
	failure    string           // why there is no matrix
}

// NewNamespace makes the view of a namespace.
func NewNamespace(p nav.Page) view.View {
	return &namespacePage{PanePage: detail.NewPage(), key: p.Key}
}

// Sync makes the lines, and computes the connections again if the objects changed.
func (v *namespacePage) Sync(env *view.Env) {
	found, complete := revision.KnownFindings(env.Rev)
	if v.rev == env.Rev && v.shown == v.m && v.st == env.Styles && v.w == env.W && v.isComplete == complete {
		return
	}
	v.rev, v.shown, v.st, v.w, v.isComplete = env.Rev, v.m, env.Styles, env.W, complete
	s := &detail.Sheet{St: env.Styles, W: env.W}
	defer func() { v.Pane.SetItems(s.Lines) }()
	ns := env.Rev.Cluster.Namespace(v.key.Name)
	if ns == nil {
		s.AddNote("gone", 0, words.Failed, env.Styles.Error, env.Styles.Text,
			env.Rev.EmptyText(detail.ObjectName(v.key)+" does not exist", model.KindNamespace))
		return
	}
	if v.askedBasis != env.Rev.Basis() && !v.matrixWork.IsUnderWay() {
		v.askedBasis = env.Rev.Basis()
		rev := env.Rev
		view.BeginWork(&v.matrixWork, env, "computing the matrix", func(ctx context.Context) (*revision.Matrix, error) {
			return revision.FindMatrix(rev, ctx, verdict.Ports{})
		})
	}
	facts := pod.FactsOfNamespace(env.Rev, ns, v.m, found)
	s.AddSkipped(widget.Line{{Text: ns.Name, Style: env.Styles.Title}, {Text: "   " + facts.PodsText()}})
	if v.failure != "" {
		s.AddNote("failed", 0, words.Failed, env.Styles.Error, env.Styles.Text, "The connections are unknown: "+v.failure)
	}
	for _, l := range facts.Lines {
		switch text := widget.StyledSpans(l.Text, env.Styles); {
		case l.IsHead:
			s.AddSkipped(text)
		case l.Finding != nil:
			s.AddIndented(l.ID, text[:1], 1, text[1:].String(), env.Styles.Text, detail.FindingPage(env.Rev, l.Finding))
		case l.ToPairs:
			s.Add(l.ID, text, nav.ToMatrix(ns.Name, ""))
		case l.Policy.Kind.IsPolicy():
			s.Add(l.ID, text, nav.ToPolicy(l.Policy))
		default:
			s.Add(l.ID, text, nav.Page{})
		}
	}
}

// ReceiveResult takes a matrix.
func (v *namespacePage) ReceiveResult(_ *view.Env, msg any) {
	m, err, ok := view.TakeResult[*revision.Matrix](&v.matrixWork, msg)
	if !ok {
		return
	}
	if err != nil {
		v.failure, v.rev = err.Error(), nil
		return
	}
	v.m, v.failure = m, ""
}

// WorkingSince returns when computing the connections began.
func (v *namespacePage) WorkingSince() time.Time { return v.matrixWork.BeganAt() }

// Copies offers the name and the command that prints the page.
func (v *namespacePage) Copies(env *view.Env) []view.CopyItem {
	return view.PageCopies(env, nav.ToNamespace(v.key.Name))
}
