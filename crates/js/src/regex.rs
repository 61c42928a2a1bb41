//! ECMAScript regular expressions with a step limit.
