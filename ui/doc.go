// Package ui is the console: one Bubble Tea model, a stack of pages, the frame
// around them, and what lies over them (palette, help, questions). Run shows it.
//
// Invariants: the first frame waits for nothing; one frame shows one revision;
// nothing here does I/O in Update or View, and no policy is decided here;
// every size down to 1×1 draws; an internal error of a page, or while a revision is
// prepared, is shown and logged, any other restores the terminal; both leave a report. It imports engine,
// model, themes and its own packages; cli imports it.
//
// # How to write a view
//
// A view shows one kind of page (ui/nav). Views of related pages share a
// folder; only views.go knows them.
//
//  1. Its page is named in ui/nav, its actions in ui/action (an id, a key, a
//     title, a sentence of help; go generate ./ui/action then writes
//     docs/keys.md). A view never looks at keys: Do gets the action's id.
//  2. New(page nav.Page) view.View is its maker; it gets a line in makers
//     (views.go). It stores the page and makes its widgets; it has no revision
//     yet.
//  3. The view implements view.View and what it needs of the optional
//     interfaces there (Filterer, Completer, Clicker, Copier, Receiver, Titler,
//     Teller, Refuser, Leaver, Worker, Scoper). Embedding view.List gives a view around
//     one table or document most of them.
//  4. Sync(env) makes what is shown from env.Rev and env.Now: rows with a
//     stable identity go into a widget.Table (SetItems) or lines into a
//     widget.DocView (SetLines). It runs when the revision, the second, the theme
//     or the size changed, so Render only draws. The page's object may be
//     gone from env.Rev: say so instead of failing.
//  5. Do(env, id) carries out the view's own actions, hands the others to its
//     widget, and returns false for what is not its own. It asks for
//     everything else through env: OpenPage(page), GoBack,
//     PreviewChange(mutation), AskDialog(dialog), CopyText, SayText, SayFailure,
//     Run (work in a goroutine, the result comes to ReceiveResult; the footer
//     says what is done once that takes a while, and env.BusyLine says it on the
//     page), ExecProgram ($EDITOR). These happen when the call returns, in
//     order, before the next key.
//  6. Changes are never made by a view: env.PreviewChange opens the preview page, and
//     only that commits. view.AskLogging, AskMove and AskDelete ask the usual
//     questions.
//  7. Text goes into widget.Line, spans with a style of env.Styles; widgets cut
//     with an ellipsis and keep every line within the width. Meaning needs a
//     word or a sign besides the colour.
//  8. Tests drive the real console with test/uitest from a package <kind>_test:
//     uitest.OpenScreen(t, uitest.DemoFacts(t), page), Press, Frame, Golden (three sizes,
//     plain and coloured, testdata/*.golden; go test -update writes them).
package ui
