// Package sheet paints a page.Sheet for readers without a terminal: as one HTML file that asks
// for nothing, as markdown, and as text. It adds nothing to what the sheet says.
//
// Every text of a sheet may be hostile: in HTML it is only ever text or the value of a quoted
// attribute, and the file's own policy forbids every script, style, image and request but the
// ones that are written in it.
package sheet
