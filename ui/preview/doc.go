// Package preview is the view of a change before it is made: what changes in the objects, which rows are
// added, changed and removed, which guard rails apply, and at the end the question. It is the only place of
// the console that commits.
//
// Invariants: nothing is written before the user read the preview on the screen and confirmed it; the default
// answer is no; a name the gate requires must be typed; a preview whose objects changed meanwhile is computed
// again; a failure changes nothing and is shown.
//
// A view that brings its own change (the editor, a plan) holds a View made with PreviewMutation and passes on
// what it receives.
package preview
