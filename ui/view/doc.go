// Package view defines what a view of the console is and what it may request. A view shows one page (ui/nav);
// the root model in ui calls it.
//
// Invariants: a view does no I/O and never blocks: slow work goes through Env.Run and its result to
// ReceiveResult; a view reads one revision per frame, Env.Rev, and keeps nothing of an older one; it never
// compares keys (ui/action does) and never makes a style (themes does); it changes the cluster only by
// Env.PreviewChange, which ends in the engine's gate. All calls come from one goroutine.
//
// It may import engine, model, themes, ui/action, ui/nav and ui/widget; ui and the views import it.
package view
