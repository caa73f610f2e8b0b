// Package edit is the view that edits a policy in the user's own editor and
// leads to the preview of what came out. The text is the policy's own, byte for
// byte; a new policy begins with a template.
//
// Invariants: the text being edited lies in a private file under the state
// folder and is only removed once it was written to the cluster or was left
// unchanged; what does not validate comes back to the editor with the reasons
// as comment lines on top; nothing is written here (package preview does).
//
// It also is the view of the templates of policies: a list to pick from, two or
// three questions with answers picked from the cluster, then the preview of the policies,
// whose text stands in it, as one change. Slow work is done
// beside the screen, so that a question comes up at once.
package edit
