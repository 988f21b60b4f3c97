export const phpQuery = `
(function_definition name: (name) @name) @definition.function
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant
(property_declaration (property_element (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(enum_case name: (name) @name) @definition.field

(namespace_use_clause [(name) (qualified_name)] @source !alias) @import
(namespace_use_clause [(name) (qualified_name)] @source alias: (name) @namespace) @import
(require_once_expression (string (string_content) @source)) @import
(require_expression (string (string_content) @source)) @import
(include_once_expression (string (string_content) @source)) @import
(include_expression (string (string_content) @source)) @import

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))
(attribute (name) @call)
(member_call_expression name: (name) @call.member)
(nullsafe_member_call_expression name: (name) @call.member)
(scoped_call_expression name: (name) @call.member)
(scoped_call_expression scope: (name) @use)
(class_constant_access_expression . (name) @use)
(class_constant_access_expression (name) @member .)
(scoped_property_access_expression scope: (name) @use)
(member_access_expression name: (name) @member)
(nullsafe_member_access_expression name: (name) @member)
(named_type (name) @use)
(named_type (qualified_name (name) @use))
(base_clause (name) @use)
(class_interface_clause (name) @use)
(use_declaration (name) @use)
(binary_expression right: (name) @use)
`;
