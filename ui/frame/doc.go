// Package frame tells what stands around a page: the header with its counts and badges, the
// way to the page, what is being read, what keeps a source from being read, and what the page
// does not take into account. It draws lines from a revision and holds nothing but what is
// taken once per revision. ui alone imports it.
package frame
