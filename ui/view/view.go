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
	// Sync updates the view from env.Rev and env.Now. It is called before Do and Render whenever one of them,
	// the styles or the size changed, at most some thirty times a second. Work belongs here: Render should
	// only draw.
	Sync(env *Env)
	// Render draws h lines of at most w cells. Any size may come, also 1×1.
	Render(env *Env, w, h int) string
	// Do carries out an action; false leaves it to the root model.
	Do(env *Env, id action.ID) bool
	// SelectedPage returns the page of the selected thing, the zero Page for none. Disabled reasons, the
	// palette and going back use it.
	SelectedPage() nav.Page
}

// Keeper is a view with user texts in files. They are named when the console ends before the user finished
// them.
type Keeper interface {
	// KeptFiles returns the paths of the files.
	KeptFiles() []string
}

// Fronted is a page that another view covers for a while, such as a preview. The other view draws and gets
// keys, mouse, copying and the question before leaving; the page keeps its name and filter, and gets Sync and
// ReceiveResult.
type Fronted interface {
	// FrontView returns the covering view, nil if none.
	FrontView() View
}

// Optional interfaces of views.
type (
	// Scoper returns the scopes of keys, most specific first, if not action.PageScope(kind), action.List,
	// action.Global. A view that takes over the keyboard leaves Global out.
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

	// Copier returns what can be copied here.
	Copier interface{ Copies(env *Env) []CopyItem }

	// Titler names the page in the breadcrumbs better than nav.Page.Title.
	Titler interface{ Crumb() string }

	// Briefer names the page in fewer cells, for when Crumb does not fit or the page is not the last.
	Briefer interface{ BriefCrumb() string }

	// StateLiner returns a text for the right end of the breadcrumbs.
	StateLiner interface{ StateLine(env *Env) widget.Line }

	// Refuser says why an action is not possible, beyond the reasons of the action table.
	Refuser interface {
		WhyNot(env *Env, id action.ID) string
	}

	// Offerer says whether an action is useful now; others are left out of the hints.
	Offerer interface {
		OffersAction(env *Env, id action.ID) bool
	}

	// Typer takes text that is no key of an action; false leaves it.
	Typer interface {
		TakeText(env *Env, text string) bool
	}

	// NewsWatcher is a page with news between revisions. HasNews reports news since the last Sync; it is
	// called ten times a second while the page is on top.
	NewsWatcher interface{ HasNews(env *Env) bool }

	// Counter is a page with counts that change between revisions. HasNewCounts reports changes since the last
	// Sync; it is called once a second while the page is on top.
	Counter interface{ HasNewCounts(env *Env) bool }

	// Worker is a page with background work of its own. WorkingSince returns its begin, or zero without work.
	Worker interface{ WorkingSince() time.Time }

	// Completer completes a word of the page from its beginning, for the filter's suggestion; empty for no
	// match.
	Completer interface{ CompleteWord(begin string) string }

	// FilterLanguage is a filter with its own language; other pages filter by regular expressions.
	FilterLanguage interface {
		// JudgeFilter returns the error of a filter in a line, empty if valid; unfinished: the text only lacks
		// its end.
		JudgeFilter(text string) (wrong string, unfinished bool)
		// FilterHints returns examples of terms, most important first.
		FilterHints() []string
		// CompleteFilter completes the whole filter, empty if nothing.
		CompleteFilter(text string) string
	}

	// ColumnHelper explains the columns of the page.
	ColumnHelper interface{ ColumnHelps() []widget.ColumnHelp }

	// Saver returns the text of the page for a file. Without a Saver, or with empty text, the screen is saved.
	Saver interface{ SaveText(env *Env) string }

	// Leaver is asked before going back closes the page; false keeps it (the view then asks a question).
	Leaver interface{ CanLeave(env *Env) bool }

	// Pointer puts its cursor on the object of a page: when going back from there, or jumping to it.
	Pointer interface {
		PointTo(env *Env, to nav.Page) bool
	}
)

// CopyItem is one text to copy.
type CopyItem struct {
	What string // "name", "YAML", "ovn-nbctl command"
	Text string
}

// ViewMaker makes the view of a page.
type ViewMaker func(nav.Page) View

// Lister is a widget with lines and a cursor: widget.Table, widget.DocView, widget.TextView.
type Lister interface {
	Do(id action.ID) bool
	SetFilter(f widget.LineFilter)
	CountLines() (shown, all int)
	Click(y int) bool
	Wheel(lines int)
	Render(st *themes.StyleSet, w, h int) string
}

// List is the common part of views around one Lister: embed it and set Widget. It implements Render, the
// filter and the mouse, and Do for the actions of the widget; the view's own Do calls it last.
type List struct{ Widget Lister }

// Render draws the widget.
func (l List) Render(env *Env, w, h int) string { return l.Widget.Render(env.Styles, w, h) }

// Do carries out the widget's actions.
func (l List) Do(_ *Env, id action.ID) bool { return l.Widget.Do(id) }

// SetFilter and CountLines make the view a Filterer.
func (l List) SetFilter(f widget.LineFilter) { l.Widget.SetFilter(f) }

// CountLines returns the numbers of shown and of all lines.
func (l List) CountLines() (shown, all int) { return l.Widget.CountLines() }

// CompleteWord completes a word of the lines.
func (l List) CompleteWord(begin string) string {
	if c, ok := l.Widget.(Completer); ok {
		return c.CompleteWord(begin)
	}
	return ""
}

// ColumnHelps explains the columns of the widget, if it is a table.
func (l List) ColumnHelps() []widget.ColumnHelp {
	if t, ok := l.Widget.(ColumnHelper); ok {
		return t.ColumnHelps()
	}
	return nil
}

// SaveText returns all lines of the widget, also those out of sight.
func (l List) SaveText(*Env) string {
	if t, ok := l.Widget.(interface{ AllText() string }); ok {
		return t.AllText()
	}
	return ""
}

// Click and Wheel make it a Clicker.
func (l List) Click(_ *Env, _, y int) bool { return l.Widget.Click(y) }

// Wheel scrolls.
func (l List) Wheel(_ *Env, lines int) { l.Widget.Wheel(lines) }

// PageCopies returns the usual texts to copy of a page's object: name, YAML, and the command that shows it.
func PageCopies(env *Env, p nav.Page) []CopyItem {
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
			out = append(out, CopyItem{"command to change its logging", revision.NamespaceLogsCommand(env.Rev, k.Namespace)})
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

// ownerConditions returns the conditions that find a policy's ACLs by their external_ids
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

// nbctlString quotes a string that ovn-nbctl would not parse as one word.
func nbctlString(s string) string { return words.Choose(strings.Contains(s, ":"), `"`+s+`"`, s) }
