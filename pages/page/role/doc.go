// Package role says what states, actions and severities mean as roles of text: the one
// place where "behind" is an error and "settling" is not. Pages and views use it.
package role
