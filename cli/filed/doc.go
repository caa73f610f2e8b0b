// Package filed has `rung report`, the file that tells all pages: for an audit, and for the review of
// an incident.
package filed
