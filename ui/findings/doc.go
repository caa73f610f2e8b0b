// Package findings is the view of everything that is wrong or dangerous about the
// policies: one line per finding, worst first, and below the table the whole of the one
// under the cursor with what to do about it. The findings are those that the header
// counts, that ladder and policy pages mark, and that `rung lint` prints; what comparing
// the zones finds stands after them and is counted apart, as `rung zones --check` does.
//
// See package ui for the rules of views.
package findings
