// check
