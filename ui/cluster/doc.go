// Package cluster is the page of the connection to a cluster: where it is and as
// whom, what may be done, how each resource of the API server is followed, how far
// the reading of zones is, and how the nodes' logs stand. It is where one looks when
// another page says that something is old or missing. The cluster itself is told in
// pages/cluster; zones, logs, and the header's texts in full are added here.
//
// See package ui for the rules of views.
package cluster
