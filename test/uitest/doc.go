// Package uitest helps to test views: a console that stands still (the demo
// cluster, a fixed clock, zones whose rows equal the desired ones unless a test
// says otherwise) and a driver that presses keys on the real root model and
// compares frames with golden files.
//
// Only tests import it.
package uitest
