// Package cluster is the page of the connection to a cluster: where it is and as
// whom, what may be done, how each resource of the API server is followed, how far
// the reading of zones is, and how the nodes' logs stand. It is where one looks when
// another page says that something is old or missing. The cluster itself is told in
// pages/cluster; zones, logs, and the header's texts in full are added here.
//
// See package ui for the rules of views.
//
// Is the view of the kubeconfig's contexts: which cluster this
// is, and the way to another one, also from one that is dead.
//
// See package ui for the rules of views.
//
// Is the view of what the status line said: the last 200 messages, the newest
// first, each whole, with its time and the page where it arose.
//
// See package ui for the rules of views.
//
// Is the view of everything that answers do not take into account, or take for
// granted (revision): each with what to do about it. The line below a page that says
// what that page lacks leads here.
//
// See package ui for the rules of views.
//
// Is the view of the Northbound databases: how each is reached,
// how old what is known of it is, what waits to be written, and how every
// policy stands in every zone.
//
// See package ui for the rules of views.
package cluster
