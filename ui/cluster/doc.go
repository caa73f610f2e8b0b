// Package cluster has the pages about what Rung is connected to, and what is wrong there:
//
//	the connection      where, as whom, permissions, how each resource is followed
//	contexts            the kubeconfig's contexts, to switch to another cluster
//	zones               each Northbound database: how it is reached, its age, pending writes
//	findings            everything wrong or dangerous about the policies, worst first
//	not considered      what answers leave out or assume, and what to do about it
//	messages            the last 200 texts of the status line
//
// See package ui for the rules of views.
package cluster
