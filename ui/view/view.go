package view

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// View shows one page.
type View interface {
	// Sync brings the view up to date with env.Rev and env.Now. It is called
	// before Do and Render whenever one of them, the styles or the size has
	// changed, at most some thirty times a second. It is the place for work:
	// Render should only draw.
	Sync(env *Env)
	// Render draws h lines of at most w cells. Any size may come, also 1×1.
	Render(env *Env, w, h int) string
	// Do carries out an action; false leaves it to the root model.
	Do(env *Env, id action.ID) bool
	// SelectedPage returns the page of the thing under the cursor, the zero Page for nothing. It
	// feeds disabled reasons, the palette and the way back.
	SelectedPage() nav.Page
}

// Keeper is a view with texts of the user's in files. They are named when the
// console is told to end before the user was done with them.
type Keeper interface {
	// KeptFiles are the files' paths.
	KeptFiles() []string
}

// Fronted is a page in whose place another view stands for a while, as the preview of what
// was made on it. The other one draws and has the keys, the mouse, what is copied and what is
// asked before leaving; the page itself keeps its name, its filter, and gets Sync and ReceiveResult.
type Fronted interface {
	// FrontView is the other view, nil for none.
	FrontView() View
}

// The rest is for views that have it.
type (
	// Scoper says where keys are looked up, the most special first, where that is not
	// action.ScopeOf(kind), action.List, action.Global. One that takes over the keyboard for
	// a while leaves Global out.
	Scoper interface{ Scopes() []action.Scope }

	// Receiver gets the results of Env.Run and Env.ExecProgram.
	Receiver interface{ ReceiveResult(env *Env, msg any) }

	// Filterer has lines that can be filtered.
	Filterer interface {
		SetFilter(f widget.LineFilter)
		CountLines() (shown, all int)
	}

	// Clicker takes the mouse; x and y are cells of its own area.
	Clicker interface {
		// Click puts the cursor there; a second click on the same line opens.
		Click(env *Env, x, y int) bool
		Wheel(env *Env, lines int)
	}

	// Copier says what can be copied here.
	Copier interface{ Copies(env *Env) []CopyItem }

	// Titler names the page in the breadcrumbs better than nav.Page.Title.
	Titler interface{ Crumb() string }

	// Briefer names the page in fewer cells, where Crumb has no room or the page is not
	// the last of the way.
	Briefer interface{ BriefCrumb() string }

	// Teller has something to say at the right end of the breadcrumbs.
	Teller interface{ TellState(env *Env) widget.Line }

	// Refuser says why an action cannot be done, besides the table's own
	// reasons.
	Refuser interface {
		WhyNot(env *Env, id action.ID) string
	}

	// Offerer says whether an action is a choice as the page is now; one that is not is
	// left out of the hints.
	Offerer interface {
		OffersAction(env *Env, id action.ID) bool
	}

	// Typer takes text that is the key of no action; false leaves it.
	Typer interface {
		TakeText(env *Env, text string) bool
	}

	// Zoner is a page that shows the rows of one zone at a time; empty for none.
	Zoner interface{ ShownZone() string }

	// NewsWatcher is a page with more news than revisions bring. Fresh says whether
	// there is something that Sync has not seen; it is asked ten times a
	// second while the page is on top.
	NewsWatcher interface{ HasNews(env *Env) bool }

	// Counter is a page that shows counts besides what revisions bring. Counted says
	// whether they are others than those that Sync has seen; it is asked once a second
	// while the page is on top.
	Counter interface{ HasNewCounts(env *Env) bool }

	// Worker is a page that works on something of its own, in pieces. It says since
	// when, the zero time while it does not.
	Worker interface{ WorkingSince() time.Time }

	// Completer says how a word of the page goes on from its beginning, empty where no
	// word begins so. The filter suggests it.
	Completer interface{ CompleteWord(begin string) string }

	// FilterLanguage is a filter with a language of its own, where those of other pages are
	// regular expressions.
	FilterLanguage interface {
		// JudgeFilter says in a line what is wrong with a filter, empty when nothing is;
		// unfinished says that it is only not typed to its end.
		JudgeFilter(text string) (wrong string, unfinished bool)
		// FilterHints are pieces of what can be typed, the first the last to go.
		FilterHints() []string
		// CompleteFilter is how the whole filter goes on, empty for nothing.
		CompleteFilter(text string) string
	}

	// ColumnHelper says what the columns of the page mean.
	ColumnHelper interface{ ColumnHelps() []widget.ColumnHelp }

	// Saver gives the text of the page for a file; without it, or when it is
	// empty, what is on the screen is saved.
	Saver interface{ SaveText(env *Env) string }

	// Leaver is asked before the page is left for good by going back; false
	// keeps it (and the view has asked a question).
	Leaver interface{ CanLeave(env *Env) bool }

	// Pointer can be told to put its cursor on what a page stands for: the way
	// back from there, or a jump to it.
	Pointer interface {
		PointTo(env *Env, to nav.Page) bool
	}
)

// CopyItem is one thing that can be copied.
type CopyItem struct {
	What string // "name", "YAML", "ovn-nbctl command"
	Text string
}

// ViewMaker makes the view of a page.
type ViewMaker func(nav.Page) View

// Lister is a widget with lines to walk along: widget.Table, widget.DocView,
// widget.TextView.
type Lister interface {
	Do(id action.ID) bool
	SetFilter(f widget.LineFilter)
	CountLines() (shown, all int)
	Click(y int) bool
	Wheel(lines int)
	Render(st *themes.StyleSet, w, h int) string
}

// List is the common part of views around one Lister: embed it and set
// Of. It gives Render, the filter and the mouse, and Do for the actions of the
// widget; the view's own Do calls it last.
type List struct{ Of Lister }

// Render draws the widget.
func (l List) Render(env *Env, w, h int) string { return l.Of.Render(env.Styles, w, h) }

// Do walks along the lines.
func (l List) Do(_ *Env, id action.ID) bool { return l.Of.Do(id) }

// SetFilter and CountLines make the view a Filterer.
func (l List) SetFilter(f widget.LineFilter) { l.Of.SetFilter(f) }

// CountLines are how many lines are shown, and how many there are.
func (l List) CountLines() (shown, all int) { return l.Of.CountLines() }

// CompleteWord finds how a word of the lines goes on.
func (l List) CompleteWord(begin string) string {
	if c, ok := l.Of.(Completer); ok {
		return c.CompleteWord(begin)
	}
	return ""
}

// ColumnHelps are the columns of the widget, where it is a table.
func (l List) ColumnHelps() []widget.ColumnHelp {
	if t, ok := l.Of.(ColumnHelper); ok {
		return t.ColumnHelps()
	}
	return nil
}

// SaveText returns all lines of the widget, also the lines out of sight.
func (l List) SaveText(*Env) string {
	if t, ok := l.Of.(interface{ AllText() string }); ok {
		return t.AllText()
	}
	return ""
}

// Click and Wheel make it a Clicker.
func (l List) Click(_ *Env, _, y int) bool { return l.Of.Click(y) }

// Wheel scrolls.
func (l List) Wheel(_ *Env, lines int) { l.Of.Wheel(lines) }

// CopiesOf are the usual things to copy of what a page stands for: name, YAML
// and the command that shows it.
func CopiesOf(env *Env, p nav.Page) []CopyItem {
	k := p.Key
	if k.Name == "" {
		return nil
	}
	out := []CopyItem{{"name", k.Name}, {"kubectl command", env.Rev.Mode.Kubectl.Get(k)}}
	if o := env.Rev.Cluster.Policy(k); o != nil {
		if o.YAML != "" {
			out = append(out, CopyItem{"YAML", o.YAML})
		}
		out = append(out, CopyItem{"ovn-nbctl command", words.ShellJoin(append([]string{"ovn-nbctl", "find", "ACL"}, ownerConditions(k)...)...)})
		if k.Namespace != "" {
			out = append(out, CopyItem{"command to change what it logs", revision.NamespaceLogsCommand(env.Rev, k.Namespace)})
		}
	}
	if p.Dir != "" {
		if o := env.Rev.Cluster.Policy(k); o != nil {
			if r := o.Rule(p.Dir, p.Rule); r != nil && r.Name != "" {
				out = append(out, CopyItem{"rule name", r.Name})
			}
		}
	}
	return out
}

// ownerConditions find the ACLs of a policy by their external_ids
// (ovn-kubernetes.md#external-ids, #owner-types).
func ownerConditions(k model.Key) []string {
	name := k.Name
	switch k.Kind {
	case model.KindNP:
		name = k.Namespace + ":" + k.Name
	case model.KindEF:
		name = k.Namespace
	}
	return []string{`external_ids:"k8s.ovn.org/name"=` + nbctlString(name), `external_ids:"k8s.ovn.org/owner-type"=` + string(k.Kind)}
}

// nbctlString quotes what ovn-nbctl would not take for one word.
func nbctlString(s string) string {
	if strings.Contains(s, ":") {
		return `"` + s + `"`
	}
	return s
}
