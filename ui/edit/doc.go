// Package edit is the view that edits a policy in the user's own editor and then shows the preview of the
// result. The text is the policy's own, byte for byte; a new policy begins with a template.
//
// Invariants: the text being edited lies in a private file under the state folder, removed only after it was
// written to the cluster or left unchanged; an invalid text returns to the editor with the reasons as comment
// lines on top; nothing is written here (package preview does).
//
// It is also the view of the templates of policies: a list to pick from, two or three questions with answers
// offered from the cluster, then the preview of the policies as one change, with their text. Slow work runs in
// goroutines, so that a question opens at once.
package edit
