// Package cluster has the pages about what Rung is connected to, and what is wrong there:
//
//	the connection      where, as whom, what may be done, how each resource is followed
//	contexts            the kubeconfig's contexts, and the way to another cluster
//	zones               each Northbound database: how it is reached, its age, what waits
//	findings            everything that is wrong or dangerous about the policies, worst first
//	not considered      what answers leave out or assume, and what to do about it
//	messages            the last 200 texts of the status line
//
// They are where one looks when another page says that something is old or missing. See package
// ui for the rules of views.
package cluster
