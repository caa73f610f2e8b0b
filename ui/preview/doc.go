// Package preview is the view of a change before it is made: what changes in
// the objects, which rows are added, changed and removed, which guard rails it
// runs into, and at the end the question. It is the only place of the console
// that commits.
//
// Invariants: nothing is written before the preview on the screen was read and
// answered with yes; the answer is No until somebody says otherwise; what the
// gate wants typed is typed; a preview whose objects changed meanwhile is
// worked out again; a failure leaves everything where it was and says so.
//
// A view that brings its own change (the editor, a plan) holds a View made with
// Of and hands it what it gets.
package preview
