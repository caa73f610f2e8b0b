// Package global carries out the actions that every page has, as a view carries out its own:
// it asks for what it needs through the page's view.Env. It also tells the news of a revision
// that concern every page: what becomes of a change on trial, and which logging sessions
// ended. ui alone imports it.
package global
