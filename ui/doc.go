// Package ui is the console: one Bubble Tea model, a stack of pages, the frame around them, and overlays
// (palette, help, questions). Run shows it.
//
// Invariants: the first frame waits for nothing; one frame shows one revision; nothing here does I/O in Update
// or View, and no policy is decided here; every size down to 1×1 draws. An internal error of a page, or while
// preparing a revision, is shown and logged; any other restores the terminal; both leave a report. ui imports
// engine, model, themes and its own packages; main imports ui.
//
// # How to write a view
//
// A view shows one kind of page (ui/nav). Views of related pages share a folder; only views.go knows them.
//
//  1. Name its page in ui/nav and its actions in ui/action (an id, a key, a
//     title, a sentence of help; go generate ./ui/action then writes
//     docs/keys.md). A view never looks at keys: Do gets the action's id.
//  2. New(page nav.Page) view.View makes it; add a line to viewMakers
//     (views.go). New stores the page and makes its widgets; it has no revision
//     yet.
//  3. Implement view.View and the optional interfaces you need
//     (Filterer, Completer, Clicker, Copier, Receiver, Titler,
//     StateLiner, Refuser, Leaver, Worker, Scoper). Embedding view.List implements most of them
//     for a view around one table or document.
//  4. Sync(env) prepares the content from env.Rev and env.Now: rows with a
//     stable identity go into a widget.Table (SetItems) or lines into a
//     widget.DocView (SetLines). It runs when the revision, the second, the theme
//     or the size changed, so Render only draws. The page's object may be
//     missing in env.Rev: say so instead of failing.
//  5. Do(env, id) carries out the view's own actions, hands the others to its
//     widget, and returns false for any other action. It asks for
//     everything else through env: OpenPage(page), GoBack,
//     PreviewChange(mutation), AskDialog(dialog), CopyText, ShowText, ShowFailure,
//     Run (work in a goroutine, whose result goes to ReceiveResult; the footer
//     names work that takes long, and env.BusyLine shows it on the
//     page), ExecProgram ($EDITOR). These happen when the call returns, in
//     order, before the next key.
//  6. Views never make changes: env.PreviewChange opens the preview page, and
//     only that commits. view.AskLogging, AskMove and AskDelete ask the usual
//     questions.
//  7. Text goes into widget.Line, spans with a style of env.Styles; widgets cut
//     with an ellipsis and keep every line within the width. Colour alone never carries
//     meaning: add a word or a sign.
//  8. Tests drive the real console with test/uitest from a package <kind>_test:
//     uitest.OpenScreen(t, uitest.DemoFacts(t), page), Press, Frame, Golden (three sizes,
//     plain and coloured, testdata/*.golden; go test -update writes them).
package ui
