// Package contexts is the view of the kubeconfig's contexts: which cluster this
// is, and the way to another one, also from one that is dead.
//
// See package ui for the rules of views.
package contexts
