export const rubyQuery = `
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(class name: (constant) @name) @definition.class
(class name: (scope_resolution name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.module
(module name: (scope_resolution name: (constant) @name)) @definition.module
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) @macro arguments: (argument_list (simple_symbol) @name @definition.field)
  (#any-of? @macro "attr_reader" "attr_accessor" "attr_writer"))

(call method: (identifier) @require arguments: (argument_list (string (string_content) @source))
  (#any-of? @require "require" "require_relative" "load")) @import

(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

(call !receiver method: [(identifier) (constant)] @call)
(call receiver: (_) method: [(identifier) (constant)] @call.member)
(scope_resolution name: (constant) @member)
(constant) @use
(identifier) @use
`;
