// Package omitted is the view of everything that answers do not take into account, or take for
// granted (revision): each with what to do about it. The line below a page that says
// what that page lacks leads here.
//
// See package ui for the rules of views.
package omitted
