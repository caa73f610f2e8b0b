package view

import (
	"time"

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
	// Selected is what the cursor is on, the zero Page for nothing. It feeds
	// disabled reasons, the palette and the way back.
	Selected() nav.Page
}

// Keeper is a view with texts of the user's in files. They are named when the
// console is told to end before the user was done with them.
type Keeper interface {
	// Kept are the files' paths.
	Kept() []string
}

// The rest is for views that have it.
type (
	// Scoper says where keys are looked up, the most special first, where that is not
	// action.Of(kind), action.List, action.Global. One that takes over the keyboard for
	// a while leaves Global out.
	Scoper interface{ Scopes() []action.Scope }

	// Receiver gets the results of Env.Run and Env.Exec.
	Receiver interface{ Receive(env *Env, msg any) }

	// Filterer has lines that can be filtered.
	Filterer interface {
		SetFilter(f widget.Filter)
		Counts() (shown, all int)
	}

	// Clicker takes the mouse; x and y are cells of its own area.
	Clicker interface {
		// Click puts the cursor there; a second click on the same line opens.
		Click(env *Env, x, y int) bool
		Wheel(env *Env, lines int)
	}

	// Copier says what can be copied here.
	Copier interface{ Copies(env *Env) []Copy }

	// Titler names the page in the breadcrumbs better than nav.Page.Title.
	Titler interface{ Crumb() string }

	// Briefer names the page in fewer cells, where Crumb has no room or the page is not
	// the last of the way.
	Briefer interface{ BriefCrumb() string }

	// Teller has something to say at the right end of the breadcrumbs.
	Teller interface{ Tell(env *Env) widget.Line }

	// Refuser says why an action cannot be done, besides the table's own
	// reasons.
	Refuser interface {
		WhyNot(env *Env, id action.ID) string
	}

	// Offerer says whether an action is a choice as the page is now; one that is not is
	// left out of the hints.
	Offerer interface {
		Offers(env *Env, id action.ID) bool
	}

	// Typer takes text that is the key of no action; false leaves it.
	Typer interface {
		Typed(env *Env, text string) bool
	}

	// Zoner is a page that shows the rows of one zone at a time; empty for none.
	Zoner interface{ Zone() string }

	// Live is a page with more news than revisions bring. Fresh says whether
	// there is something that Sync has not seen; it is asked ten times a
	// second while the page is on top.
	Live interface{ Fresh(env *Env) bool }

	// Counter is a page that shows counts besides what revisions bring. Counted says
	// whether they are others than those that Sync has seen; it is asked once a second
	// while the page is on top.
	Counter interface{ Counted(env *Env) bool }

	// Worker is a page that works on something of its own, in pieces. It says since
	// when, the zero time while it does not.
	Worker interface{ Working() time.Time }

	// Completer says how a word of the page goes on from its beginning, empty where no
	// word begins so. The filter suggests it.
	Completer interface{ Complete(begin string) string }

	// Expression is a filter with a language of its own, where those of other pages are
	// regular expressions.
	Expression interface {
		// JudgeFilter says in a line what is wrong with a filter, empty when nothing is;
		// unfinished says that it is only not typed to its end.
		JudgeFilter(text string) (wrong string, unfinished bool)
		// FilterHints are pieces of what can be typed, the first the last to go.
		FilterHints() []string
		// CompleteFilter is how the whole filter goes on, empty for nothing.
		CompleteFilter(text string) string
	}

	// Saver gives the text of the page for a file; without it, or when it is
	// empty, what is on the screen is saved.
	Saver interface{ SaveText(env *Env) string }

	// Leaver is asked before the page is left for good by going back; false
	// keeps it (and the view has asked a question).
	Leaver interface{ Leave(env *Env) bool }

	// Pointer can be told to put its cursor on what a page stands for: the way
	// back from there, or a jump to it.
	Pointer interface {
		Point(env *Env, to nav.Page) bool
	}
)

// Copy is one thing that can be copied.
type Copy struct {
	What string // "name", "YAML", "ovn-nbctl command"
	Text string
}

// Maker makes the view of a page.
type Maker func(nav.Page) View
