export const rustQuery = `
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.field
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
]) @scope

(use_declaration argument: (_) @source) @import

(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local)
(let_condition pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(captured_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(shorthand_field_identifier) @local
(type_parameter name: (type_identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call.member))
(call_expression function: (scoped_identifier name: (identifier) @call.member))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call.member)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call.member)))
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @call)
(field_initializer field: (field_identifier) @member)
(field_expression field: (field_identifier) @member)
(scoped_identifier name: (identifier) @member)
(scoped_type_identifier name: (type_identifier) @member)
(type_identifier) @use
(identifier) @use
`;
